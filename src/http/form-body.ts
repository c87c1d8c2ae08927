import type { FastifyRequest } from 'fastify'
import type { HttpApp } from './app.ts'
import { requireUncompressed } from './json-body.ts'

const formType = 'application/x-www-form-urlencoded'

/** Makes the routes of a scope accept forms, whose body is then a `URLSearchParams`. */
export function acceptForms(scope: HttpApp): void {
  scope.addContentTypeParser(
    formType,
    { parseAs: 'string' },
    async (request: FastifyRequest, text: string) => {
      requireUncompressed(request)
      return new URLSearchParams(text)
    },
  )
}
