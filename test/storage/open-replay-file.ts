import { openTokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'

/** Records the use of a token in a replay file, and prints whether it was the first. */
const [, , path = '', tokenId = ''] = process.argv
const file = openTokenUses(path)
const { outcomes } = file.record([{ tokenId, keptUntil: 1_000_000 }])
file.close()
process.stdout.write(String(outcomes[0]))
