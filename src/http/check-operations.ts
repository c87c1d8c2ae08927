import type { Access } from '../auth/access.ts'
import { type CheckOptions, ContractError, checkOperations } from '../contract/index.ts'
import type { CheckRuns } from '../platform/check-runs/check-runs.ts'
import type { HttpApp } from './app.ts'
import { mountClientOperation } from './client-operation.ts'

export function mountChecks(app: HttpApp, access: Access, checks: CheckRuns): void {
  mountClientOperation(app, checkOperations.createCheck, access, async ({ body }, { client }) => {
    const run = await checks.start(body as CheckOptions, client?.name ?? '')
    return {
      headers: { location: `${checkOperations.createCheck.path}/${run.checkId}` },
      body: JSON.stringify(run),
    }
  })
  mountClientOperation(app, checkOperations.listChecks, access, async () => ({
    body: JSON.stringify({ data: await checks.list() }),
  }))
  mountClientOperation(app, checkOperations.getCheck, access, async ({ params }) => {
    const run = await checks.read(params['checkId'] ?? '')
    if (!run) throw new ContractError('check_not_found')
    const summary = JSON.stringify(run.summary)
    // The report is stored as JSON, and can be long.
    const body =
      run.report === undefined ? summary : `${summary.slice(0, -1)},"report":${run.report}}`
    return { body }
  })
}
