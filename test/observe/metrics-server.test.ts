import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { serveMetrics } from '../../src/server/observe/metrics-server.ts'

describe('the metrics port', () => {
  it('serves a scraper while many other connections are idle', async (t) => {
    const server = await serveMetrics(
      { host: '127.0.0.1', port: 0 },
      {
        text: async () => 'up 1\n',
        rejections: async () => ({ rejections: [], reasons: [] }),
      },
    )
    t.after(() => server.close())
    const { port } = new URL(server.address)
    const idle = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      }),
    )

    for (let count = 0; count < 3; count += 1) {
      const response = await fetch(server.address)
      assert.equal(response.status, 200)
      assert.equal(await response.text(), 'up 1\n')
    }

    for (const socket of idle) socket.destroy()
  })
})
