/**
 * The registrations of the demo: the API client of its console and its third party. Other ids are random. Only the demo
 * accepts them: once it has ended, any process of the machine can use the address of its third party.
 */
export const demoClientId = 'demo'
export const demoThirdPartyId = 'example-budget'
