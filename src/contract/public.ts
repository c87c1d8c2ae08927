/**
 * The module `holdfast/contract`. Holdfast imports the compiled validators only where it needs them, since they load 230
 * more files.
 */
export * from './index.ts'
export { type Validator, validator } from './validate.ts'
