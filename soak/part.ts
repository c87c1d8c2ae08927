import type { SoakContext } from './context.ts'

/** A part of the run with processes of its own, which are running already. */
export interface Part {
  readonly name: string
  /** Sends requests until the time is up, and then compares what is stored. */
  run(): Promise<void>
  /** The lines that its processes logged as errors. */
  errors(): readonly string[]
  close(): Promise<void>
}

/** A violation that ends a part does not end the run. */
export async function runPart({ tally }: SoakContext, { name, run }: Part): Promise<void> {
  try {
    await run()
  } catch (error) {
    tally.fault('wrong', `${name}: ${(error as Error).message}`)
  }
}
