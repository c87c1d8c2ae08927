// Asks the server of this container whether it lives: ends with 0 if it says so, and with 1 if not. It sees the
// same settings as the server does.
import { request as http } from 'node:http'
import { request as https } from 'node:https'
import { connect } from 'node:net'

const port = Number(process.env.HOLDFAST_PORT)
const timeout = 4000
const isSecure = Boolean(process.env.HOLDFAST_TLS_CERT)
const fail = () => process.exit(1)
setTimeout(fail, timeout)

if (process.env.HOLDFAST_TLS_CLIENT_CA) {
  // It has no certificate that the server would take: that somebody listens is all it can see.
  connect(port, '127.0.0.1', () => process.exit(0)).on('error', fail)
} else {
  // The certificate is for the public name, and this is not a caller that has to be sure of it.
  const options = { host: '127.0.0.1', port, path: '/health/live', rejectUnauthorized: false }
  const send = isSecure ? https : http
  send(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
    .on('error', fail)
    .end()
}
