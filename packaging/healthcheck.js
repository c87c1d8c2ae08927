// Liveness check of the server in this container: exits with 0 if the server is live, otherwise with 1. It reads the
// server's own settings.
import { request as http } from 'node:http'
import { request as https } from 'node:https'
import { connect } from 'node:net'

const port = Number(process.env.HOLDFAST_PORT)
const timeout = 4000
const isSecure = Boolean(process.env.HOLDFAST_TLS_CERT)
const fail = () => process.exit(1)
setTimeout(fail, timeout)

if (process.env.HOLDFAST_TLS_CLIENT_CA) {
  // The server requires a client certificate, and the check has none: an open port has to do.
  connect(port, '127.0.0.1', () => process.exit(0)).on('error', fail)
} else {
  // The certificate is for the public name, not for the loopback address.
  const options = { host: '127.0.0.1', port, path: '/health/live', rejectUnauthorized: false }
  const send = isSecure ? https : http
  send(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
    .on('error', fail)
    .end()
}
