import { DatabaseSync } from 'node:sqlite'
import { listCodes, listsMax } from '../src/storage/enum-codes.ts'
import { isPostgres, sqlitePath } from '../src/storage/open.ts'
import { runSql } from './bench.ts'
import type { Log } from './results.ts'

const list = listCodes.transaction

/** How many accounts of a SQLite database are changed in one transaction, so that its write-ahead log stays small. */
const accountsAtOnce = 2000

/**
 * Replaces every transaction by copies with ids of their own. Loading as many lines would take hours. The database then
 * has the rows that a load of these lines writes: entries of the same time are in descending order of their ids.
 */
export async function multiplyTransactions(
  database: string,
  copies: number,
  log: Log,
): Promise<void> {
  if (isPostgres(database)) await multiplyPostgres(database, copies, log)
  else multiplySqlite(sqlitePath(database), copies, log)
}

function multiplySqlite(path: string, copies: number, log: Log): void {
  const file = new DatabaseSync(path)
  file.exec(`
    pragma synchronous = off;
    pragma cache_size = -500000;
    create temp table copy as
      with recursive counted (number) as (
        select 1 union all select number + 1 from counted where number < ${copies}
      ) select number from counted;
    create temp table original as select * from entry limit 0;
  `)
  const { accounts } = file.prepare('select max(number) as accounts from account').get() as {
    accounts: number
  }
  for (let from = 0; from <= accounts; from += accountsAtOnce) {
    if (from % (accountsAtOnce * 50) === 0)
      log(`copying transactions, account ${from} of ${accounts}`)
    const isChosen = `list >= ${from * listsMax} and list < ${(from + accountsAtOnce) * listsMax} and list % ${listsMax} = ${list}`
    file.exec(`
      begin;
      insert into original select * from entry where ${isChosen};
      delete from entry where ${isChosen};
      insert into entry
      select (list << 32) + (position & 0xffffffff) * ${copies} + 1 - number, list, time,
        id || '-' || substr(number + 1000, 2), amount, description, reference,
        replace(record, '"' || id || '"', '"' || id || '-' || substr(number + 1000, 2) || '"')
      from original cross join copy order by position, number desc;
      delete from original;
      commit;
    `)
  }
  file.close()
}

async function multiplyPostgres(url: string, copies: number, log: Log): Promise<void> {
  const partitions = await runSql(
    url,
    "select relid::regclass::text as name from pg_partition_tree('entry') where isleaf",
  )
  for (const [index, { name }] of partitions.rows.entries()) {
    log(`copying transactions, partition ${index + 1} of ${partitions.rows.length}`)
    // Truncated, not deleted: deleted rows would stay in the files, and their removal from three indexes takes long.
    await runSql(
      url,
      `begin;
       create temp table original on commit drop as select * from ${name};
       truncate ${name};
       insert into ${name} select * from original where list <> ${list};
       insert into ${name}
       select account, list, has_own_time, ordinal * ${copies} + 1 - number, time,
         id || '-' || lpad(number::text, 3, '0'), amount, description, reference,
         replace(record, '"' || id || '"', '"' || id || '-' || lpad(number::text, 3, '0') || '"')
       from original cross join generate_series(1, ${copies}) as number
       where list = ${list}
       order by account, ordinal, number desc;
       commit`,
    )
    await runSql(url, `vacuum analyze ${name}`)
  }
  await runSql(url, 'analyze entry')
}
