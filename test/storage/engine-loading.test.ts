import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { run } from '../support/process.ts'

const storage = new URL('../../src/storage/', import.meta.url).href

/** The modules that a new process loads to run the statement, which is about the `database`. */
async function loadedBy(t: TestContext, statement: string): Promise<string[]> {
  const folder = await temporaryFolder(t)
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    const storage = await import('${storage}open.ts')
    const file = ${JSON.stringify(`sqlite:${folder}/bank.db`)}
    const unreachable = 'postgres://127.0.0.1:1/bank'
    ${statement}
    console.log(JSON.stringify(loaded))
    process.exit()`
  const { stdout, stderr } = await run([process.execPath, '--input-type=module', '--eval', script])
  assert.equal(stderr, '')
  return JSON.parse(stdout) as string[]
}

describe('opening a database', () => {
  it('loads neither the PostgreSQL engine nor the code for loads to read a SQLite file', async (t) => {
    const loaded = await loadedBy(
      t,
      'await storage.createDatabase(file); await storage.openProviderStore(file)',
    )

    assert.ok(loaded.includes(`${storage}sqlite/reads/provider-store.ts`))
    const unneeded =
      /\/pg\/|\/postgres\/|^\/(sqlite\/loads|(platform|sqlite\/replay)\/(?!(usage-)?schema\.ts$))/
    assert.deepEqual(
      loaded.filter((url) => unneeded.test(url.replace(storage, '/'))),
      [],
    )
  })

  it('loads neither the SQLite engine nor the code for loads to read PostgreSQL', async (t) => {
    const loaded = await loadedBy(t, 'await storage.openProviderStore(unreachable).catch(() => {})')

    assert.ok(loaded.includes(`${storage}postgres/reads/provider-store.ts`))
    const unneeded =
      /sqlite|^\/(postgres\/loads|(platform|postgres\/replay)\/(?!(usage-)?schema\.ts$))/
    assert.deepEqual(
      loaded.filter((url) => unneeded.test(url.replace(storage, '/'))),
      [],
    )
  })
})
