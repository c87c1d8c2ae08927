import type { DatabaseSync } from 'node:sqlite'
import type { Item } from '../../../intake/writer.ts'
import {
  createCorrected,
  defineKey,
  type EntrySource,
  keyColumns,
  listCorrections,
  selectSeen,
  toCorrectionKey,
} from '../../corrections.ts'
import { openDatabase } from '../driver/open.ts'
import { dialect } from '../driver/sql.ts'
import { prepareOn } from '../driver/statements.ts'
import { listOfAccount } from '../entry-position.ts'

const source: EntrySource = {
  table: 'entry',
  isEntry: `e.list = ${listOfAccount('k.list')} and e.id = k.id`,
}

const places = (columns: readonly string[]) => columns.map(() => '?').join()

/** What readers see before the commit is what another connection sees. */
export function openCorrections(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const key = `(${keyColumns.join()})`
  database.exec(`${createCorrected('text')}
    create temp table corrected_key (${defineKey('text')}, primary key ${key}) without rowid;`)
  const add = command(`insert or ignore into corrected_key values (${places(keyColumns)})`)
  const keys = query<SeenRow>(`select ${keyColumns.join()} from corrected_key`, { lists: true })
  const addSeen = command(
    `insert into corrected values (${places([...keyColumns, 'customer', 'content', 'time'])})`,
  )
  const list = command(listCorrections(source, dialect.now))
  const clear = ['corrected_key', 'corrected'].map((table) => command(`delete from ${table}`))
  const path = database.location() ?? ''
  let isEmpty = true

  return {
    add(item: Item): void {
      isEmpty = false
      add.run(...toCorrectionKey(item))
    },

    /** Before a commit. */
    write(): void {
      if (isEmpty) return
      using committed = openDatabase(path, 'serve')
      const columns = keyColumns.map((name) => `? as ${name}`).join()
      const seen = prepareOn(committed).query<SeenRow>(selectSeen(`(select ${columns})`, source), {
        lists: true,
      })
      for (const each of keys.each()) for (const row of seen.all(...each)) addSeen.run(...row)
      list.run()
      for (const each of clear) each.run()
      isEmpty = true
    },

    /** After a rollback, which removes the keys. */
    discard(): void {
      isEmpty = true
    },
  }
}

type SeenRow = (string | number | null)[]
