import { errors } from 'oidc-provider'
import { ProviderUnavailable } from './customers.ts'
import {
  type FlowOptions,
  openFlowContext,
  type PageRequest,
  type PageResponse,
  redirectToFlow,
  renderPage,
} from './flow-context.ts'
import { actions, cancel, showStep } from './flow-steps.ts'
import { renderError } from './pages/steps.ts'
import { isFormToken } from './sealed-states.ts'

/** Answers a request to the page of a flow. */
export async function answerPage(
  options: FlowOptions,
  request: PageRequest,
): Promise<PageResponse> {
  try {
    return await answer(options, request)
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return renderPage(options, 400, expiredPage)
    if (!(error instanceof ProviderUnavailable)) throw error
    const { interactionId } = request
    const text = `${options.brand.name} does not respond at the moment. Nothing was shared. Wait a moment, then try again.`
    const page = renderError('Please try again', text, { retry: '', interactionId })
    return renderPage(options, 503, page)
  }
}

async function answer(options: FlowOptions, request: PageRequest): Promise<PageResponse> {
  const context = await openFlowContext(options, request)
  if (!context) return renderPage(options, 400, expiredPage)
  const { form } = request
  if (!form) return showStep(options, context)
  const isOwn = !request.isCrossSite && isFormToken(context.secret, form.get('token') ?? '')
  // Without a new cookie, which would end a flow that went on in another response.
  if (!isOwn) return renderPage(options, 403, foreignFormPage)
  const name = form.get('action') ?? ''
  if (name === 'cancel') return cancel(options, context)
  const ofStep = actions[context.state.step]
  const action = Object.hasOwn(ofStep, name) ? ofStep[name] : undefined
  // A page that was open when another one went on: show where the flow is.
  return action ? action(options, context, form) : redirectToFlow(context.secret)
}

const expiredPage = renderError(
  'This page has expired',
  'If you did not agree yet, nothing was shared. Go back to the website or app that you came from.',
)

const foreignFormPage = renderError(
  'The form could not be used',
  'It was not sent from this page, or cookies are disabled. Nothing was shared.',
  { retry: '' },
)
