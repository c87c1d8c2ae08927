import { Command, Option } from 'commander'
import type { RegulatoryReport } from '../contract/index.ts'
import { countRecords } from '../platform/reports/count-records.ts'
import { formatReportCsv, formatReportHtml } from '../platform/reports/format-report.ts'
import { periodForm, readPeriod } from '../platform/reports/period.ts'
import { makeReport, requirePeriod } from '../platform/reports/report.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { databaseSettings, prepareDatabase, readNow, useStore } from './common/database.ts'
import { openProgressLine } from './common/progress-line.ts'
import {
  addSettingFlags,
  type CommandSettings,
  readCommandSettings,
  type SettingFlags,
} from './common/setting-flags.ts'

const formats = {
  html: formatReportHtml,
  csv: formatReportCsv,
  json: (report: RegulatoryReport) => `${JSON.stringify(report, null, 2)}\n`,
}

interface Flags extends SettingFlags {
  readonly period: string
  readonly format: keyof typeof formats
}

export function reportCommand(terminal: Terminal): Command {
  const command = new Command('report')
    .summary('count requests and refusals of half a year for the regulator')
    .description(
      'Writes the report of half a year to standard output: product data requests, consumer data requests, and refusals with the rule or standard relied upon. They are counted from the disclosure records, and product data requests from the counts of calls by day. Complaints are left for the data holder to fill in.',
    )
    .requiredOption('--period <period>', `${periodForm}, in the time zone of the platform`)
    .addOption(
      new Option('--format <format>', 'a document, comma-separated values, or JSON')
        .choices(Object.keys(formats))
        .default('html'),
    )
    .addHelpText(
      'after',
      `
The time zone and the brand are those of the platform: set HOLDFAST_TIME_ZONE,
HOLDFAST_BRAND_NAME and HOLDFAST_BRAND_ID as there. From a day after a period on,
its report has the same bytes each time. If a block of the records is not as it was
written, the report says so and the exit status is 1.

Example: holdfast report --period 2026-H2 > report.html`,
    )
    .action((flags: Flags) => writeReport(flags, terminal))
  const names = [...databaseSettings, 'timeZone', 'brandName', 'brandId', 'recordYears'] as const
  return addSettingFlags(command, 'platform', names)
}

async function writeReport(flags: Flags, terminal: Terminal): Promise<void> {
  const settings = readCommandSettings('platform', flags, terminal)
  if (!readPeriod(flags.period, 'UTC')) throw new CommandError(2, `--period must be ${periodForm}`)
  await prepareDatabase(settings, false, terminal)
  const report = await countReport(flags.period, settings, terminal)
  await terminal.write(formats[flags.format](report))
  const { fault } = report.records
  if (fault !== undefined) throw new CommandError(1, `the records were changed: ${fault}`)
}

function countReport(
  name: string,
  settings: CommandSettings,
  terminal: Terminal,
): Promise<RegulatoryReport> {
  const { timeZone = 'UTC', brandName = '', brandId: id, recordYears = 0 } = settings
  return useStore('openConsentStore', settings, async (store) => {
    const now = await readNow(store)
    const clock = () => now
    const period = requirePeriod(name, { clock, timeZone, recordYears })
    const progress = openProgressLine(terminal)
    const counted = await countRecords(store.disclosureRecords, period, (time) =>
      progress.show(() => `counted to ${time.toString({ smallestUnit: 'second' })}`),
    ).finally(() => progress.clear())
    const brand = { name: brandName, ...(id !== undefined && { id }) }
    return useStore('openUsageStore', settings, (usage) =>
      makeReport(period, counted, { usage, clock, timeZone, brand, recordYears }),
    )
  })
}
