import { errors } from 'oidc-provider'
import { ProviderUnavailable, SharingRefused } from './customers.ts'
import {
  type FlowContext,
  type FlowOptions,
  type FlowRequest,
  type FlowResponse,
  fail,
  openFlowContext,
  redirectToFlow,
  refused,
} from './flow-context.ts'
import { actions, cancel, showStep } from './flow-steps.ts'
import { isOwnForm, renderPage } from './page-exchange.ts'
import { renderError, renderRefusal } from './pages/steps.ts'
import { makeFormToken } from './sealed-states.ts'

/** Answers a request to the page of a flow, and records what the flow decided. */
export async function answerPage(
  options: FlowOptions,
  request: FlowRequest,
): Promise<FlowResponse> {
  let context: FlowContext | undefined
  let response: FlowResponse
  try {
    context = await openFlowContext(options, request)
    response = context ? await answer(context) : expired(options)
  } catch (error) {
    if (error instanceof errors.SessionNotFound) response = expired(options)
    else if (error instanceof ProviderUnavailable) response = unavailable(options, request, context)
    else if (error instanceof SharingRefused && context) response = showRefusal(context)
    else throw error
  }
  if (response.decision) {
    const { skipped, ...decision } = response.decision
    const step = context?.state.step ?? 'page'
    options.flowRecords.append(request.uid, [{ step, ...decision }, ...(skipped ? [skipped] : [])])
  }
  return response
}

async function answer(context: FlowContext): Promise<FlowResponse> {
  const { request, secret, state } = context
  const { form } = request
  if (!form) return showStep(context)
  // Without a new cookie, which would end a flow that went on in another response.
  if (!isOwnForm(request, secret))
    return { ...renderPage(context, 403, foreignFormPage), decision: fail('form_rejected') }
  const name = form.get('action') ?? ''
  if (name === 'cancel') return cancel(context)
  const ofStep = actions[state.step]
  const action = Object.hasOwn(ofStep, name) ? ofStep[name] : undefined
  // A page that was open when another one went on: show where the flow is.
  return action ? action(context, form) : redirectToFlow(secret)
}

function expired(options: FlowOptions): FlowResponse {
  const decision = { ...fail('page_expired'), step: 'page' } as const
  return { ...renderPage(options, 400, expiredPage), decision }
}

/** Cancelling needs no provider, and sets no new cookie. */
function unavailable(
  options: FlowOptions,
  { interactionId, secret }: FlowRequest,
  context: FlowContext | undefined,
): FlowResponse {
  const text = `${options.brand.name} does not respond at the moment. Nothing was shared. Wait a moment, then try again.`
  const known = context?.secret === secret ? context : undefined
  const cancel = known && {
    token: makeFormToken(known.secret),
    thirdParty: known.asked.thirdParty,
  }
  const page = renderError('Please try again', text, { retry: '', interactionId, cancel })
  return {
    ...renderPage(options, 503, page),
    ...(known && { formTarget: known.formTarget }),
    decision: fail('provider_unreachable'),
  }
}

/** The status is the same for every circumstance: the page does not say why. */
function showRefusal(context: FlowContext): FlowResponse {
  const { brand, asked, secret, formTarget, request } = context
  const page = renderRefusal({ brand, asked, token: makeFormToken(secret) }, request.interactionId)
  return { ...renderPage(context, 403, page), formTarget, decision: refused }
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
