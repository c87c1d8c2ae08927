import { markdown, tablesOf, titles } from './report.ts'
import type { Results } from './results.ts'

/** `docs/performance.md`, made of the results. */
export function pageOf(results: Results): string {
  const { machine, isFull, minutes, rows } = results
  const tables = new Map(tablesOf(results).map((table) => [table.title, markdown(table)]))
  const section = (title: string, about: string): string[] => {
    const table = tables.get(title)
    return table ? [`## ${title}`, '', about, '', table, ''] : []
  }
  return [
    '# Performance',
    '',
    `*Made by \`npm run bench -- ${isFull ? '--full ' : ''}--write\`, which measures everything again and writes this page: change \`bench/\`, not this page.*`,
    '',
    `Measured on ${machine.date} in ${minutes.toFixed(1)} minutes: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGigabytes} GB of memory, Node ${machine.node}, PostgreSQL ${machine.postgres}. Servers, database and the process that asks share those cores.`,
    '',
    '![CPU time a request, side by side](performance.svg)',
    '',
    'The main figure is **CPU time a request**: user and system time of all processes of a server, since clocks lie on a machine that others use too. What a database process uses stands in its own column. All servers of a row are asked in turns of short rounds, with tokens that were signed beforehand and that each server sees once; a figure is the median of the rounds, a ratio the median of the rounds’ own ratios. 50 connections ask at once, so latency is mostly waiting in line.',
    '',
    ...section(
      'Targets',
      'What is aimed at, beside what this run measured. A run fails on none of them. Millions are measured with `--full` only.',
    ),
    ...section(titles.requests, requestsAbout(rows)),
    ...section(
      titles.growth,
      'The first, a middle and the last page of an account with that many transactions, each against page 1. Then customers all over a store of that many, with one account each, against the smallest store.',
    ),
    ...section(
      titles.workers,
      'B3 with 25 a page, on processes that share the port. CPU time is that of all of them together. More workers than cores that are free gain nothing.',
    ),
    ...section(
      titles.load,
      '`holdfast load`, as it tells its own speed: reading, validation, order, one commit, without the start of the process. The engine’s own way gets rows that are ready, into the same tables and indexes: a loop over a prepared insert in one transaction for SQLite, `COPY` for PostgreSQL. The ratio is of time.',
    ),
    ...section(
      titles.process,
      'From the start of `holdfast serve provider` to the line that says it is ready, and to its first answer. *As installed* is the compiled package, *from a clone* runs the TypeScript as it is. Memory is the resident memory of one worker, after its first answer and while 50 connections ask for B3.',
    ),
    ...section(
      titles.parts,
      'In one process, CPU time each: a record judged by its type, and a token’s whole check (reading, claims, key, its id spent in SQLite) beside its signature alone.',
    ),
  ].join('\n')
}

function requestsAbout(rows: Results['rows']): string {
  const abouts = new Map(rows.flatMap(({ name, about }) => (about ? [[name, about]] : [])))
  const operations = [...abouts].map(([name, about]) => `- **${name}**: ${about}`)
  return [
    'What is compared:',
    '',
    '- **limit**: a bare `node:http` server that verifies the signature of the token and answers the same bytes from memory. Nobody can do less.',
    '- **hand-made**: what a team would write in a day. Express 5, `jsonwebtoken` and `jwks-rsa`, used tokens in a set in memory, `count(*)` and `offset` over the same SQLite file, objects through `JSON.stringify`. It has B3 only.',
    '- **Holdfast** as it is installed and run for real, `holdfast serve`, on SQLite and on PostgreSQL, with every token’s use on the disk before its request goes on.',
    '',
    'What is asked:',
    '',
    ...operations,
  ].join('\n')
}
