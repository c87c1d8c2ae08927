import {
  type PublishedAnswers,
  publishedEndpoints,
} from '../platform/catalogue/published-answers.ts'
import type { RawQuery } from '../platform/cds/query.ts'
import type { HttpApp } from './app.ts'
import { mountPublicEndpoint, type PublicMount } from './public-cds-endpoint.ts'

/** The public endpoints of products. */
export function mountPublishedProducts(
  app: HttpApp,
  mount: PublicMount,
  answers: PublishedAnswers,
): void {
  const { product, products } = publishedEndpoints
  mountPublicEndpoint(app, mount, products, { endpoint: 'cds-products' }, (input, { url, query }) =>
    answers.list(input, url, query as RawQuery),
  )
  mountPublicEndpoint(app, mount, product, { endpoint: 'cds-product' }, (input, { params }) =>
    answers.read(input, (params as { readonly productId: string }).productId),
  )
}
