/** A tester that acts as the platform and checks whether a provider conforms to the interface. */
export type { Capability } from './capabilities.ts'
export { type CheckOptions, checkProvider, type Progress } from './check.ts'
export { checkDefaults, namedCapabilities, unnamedParameters } from './defaults.ts'
export type { ParameterNames } from './parameters.ts'
export {
  type CheckResult,
  type Clause,
  type Counts,
  countResults,
  type Exchange,
  type Judgement,
  type Profile,
  profiles,
  type Report,
} from './report.ts'
export { formatHtmlReport } from './reports/html.ts'
export { formatJunitReport } from './reports/junit.ts'
export { formatTextReport } from './reports/text.ts'
export { type PublishOptions, publishKeys, type TestKeys, useTrustedKey } from './test-keys.ts'
