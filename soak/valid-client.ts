import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { randomQuestion } from './questions.ts'
import type { Scene } from './scene.ts'

/** A moment between two questions, so that the server is busy and not flooded. */
const restMs = 5

/** Asks one thing after another on a connection that it keeps, and holds each answer against what was loaded. */
export async function goodCaller(scene: Scene): Promise<void> {
  const { tally, platform, spent } = scene
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  while (!scene.isOver()) {
    const question = randomQuestion(scene.model, scene.customers)
    const token = platform.mint(question.path)
    const oldest = scene.committed()
    const answered = await scene.ask(question, token, agent)
    const newest = scene.begun()
    if (answered?.status === 200) {
      tally.count('answers held against what was loaded')
      const part = question.part(JSON.parse(answered.body))
      const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index)
      if (!versions.some((version) => isDeepStrictEqual(part, question.expected(version)))) {
        tally.fault(
          'wrong',
          `${question.path}${question.query} is of no version from ${oldest} to ${newest}`,
        )
      }
      spent.remember({ sent: question, token })
    } else if (answered && answered.status !== 503) {
      tally.fault('wrong', `${question.path}${question.query} ${answered.status} ${answered.body}`)
    }
    await wait(restMs)
  }
  agent.destroy()
}
