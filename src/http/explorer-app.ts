import type { Access } from '../auth/access.ts'
import { ContractError, explorerOperations } from '../contract/index.ts'
import type { Explorer } from '../platform/explorer/explorer.ts'
import type { ExplorerCall } from '../platform/explorer/read-call.ts'
import type { HttpApp } from './app.ts'
import { mountClientOperation } from './client-operation.ts'

/** Mounts the calls to the provider. Without an explorer, they are rejected with the setting that enables it. */
export function mountExplorer(
  app: Pick<HttpApp, 'route'>,
  access: Access,
  explorer: Explorer | undefined,
): void {
  mountClientOperation(app, explorerOperations.callProvider, access, async ({ body }) => {
    if (!explorer) throw new ContractError('explorer_disabled')
    return { body: JSON.stringify(await explorer(body as ExplorerCall)) }
  })
}
