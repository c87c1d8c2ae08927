import type { Access } from '../auth/access.ts'
import { ContractError, checkOperations } from '../contract/index.ts'
import type { CheckRuns } from '../platform/check-runs/check-runs.ts'
import type { HttpApp } from './app.ts'
import { mountOperation } from './mount-operation.ts'

export function mountChecks(app: HttpApp, access: Access, checks: CheckRuns): void {
  mountOperation(app, checkOperations.createCheck, access, async ({ body }, { client }) => {
    const run = await checks.start(body, client?.name ?? '')
    return {
      headers: { location: `${checkOperations.createCheck.path}/${run.checkId}` },
      body: JSON.stringify(run),
    }
  })
  mountOperation(app, checkOperations.listChecks, access, async () => ({
    body: JSON.stringify({ data: await checks.list() }),
  }))
  mountOperation(app, checkOperations.getCheck, access, async ({ params }) => {
    const run = await checks.read(params.checkId)
    if (!run) throw new ContractError('check_not_found')
    const listed = JSON.stringify(run.listed)
    // The report is stored as JSON, and can be long.
    return {
      body: run.report === undefined ? listed : `${listed.slice(0, -1)},"report":${run.report}}`,
    }
  })
}
