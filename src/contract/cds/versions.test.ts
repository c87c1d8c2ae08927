import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyOf } from '../../../test/support/arbitrary.ts'
import { compileCdsSchemas } from '../../../test/support/cds-product-schemas.ts'
import { propertyRuns } from '../../../test/support/properties.ts'
import { anyPublishableProduct } from '../../../test/support/publishable-products.ts'
import { values } from '../enumerations.ts'
import { Product } from '../records/product.ts'
import { asNode, isObject, type Node } from '../schema.ts'
import { validator } from '../validate.ts'
import { type CdsObject, cdsDetailVersions, cdsListVersions } from './mapping.ts'
import { cdsProduct } from './product-fields.ts'
import { findPublicationFaults } from './publication-faults.ts'
import { fromCdsProductDetail } from './read-product.ts'
import { type PublishedProduct, toCdsListProduct, toCdsProductDetail } from './write-product.ts'

const schemas = compileCdsSchemas()
const { check, problems } = validator(Product)
const runs = propertyRuns(100)

const isPayLater = ({ product_category }: Product) => product_category === 'BUY_NOW_PAY_LATER'

function assertValidInEveryVersion(product: PublishedProduct): void {
  for (const version of cdsListVersions) {
    const listed = toCdsListProduct(product, version)
    assert.equal(listed === undefined, isPayLater(product) && version < 5, `list ${version}`)
    if (listed) assertMatches(schemas.list.get(version), listed, `list ${version}`)
  }
  for (const version of cdsDetailVersions) {
    const detail = toCdsProductDetail(product, version)
    assert.equal(detail === undefined, isPayLater(product) && version < 7, `detail ${version}`)
    if (detail) assertMatches(schemas.detail.get(version), detail, `detail ${version}`)
  }
}

function assertMatches(
  validate: ReturnType<typeof schemas.list.get>,
  value: unknown,
  version: string,
): void {
  assert.ok(validate)
  validate(JSON.parse(JSON.stringify(value)))
  assert.deepEqual(validate.errors ?? [], [], version)
}

describe('a product without publication faults', () => {
  it('is valid in every version of the standards', () => {
    fc.assert(
      fc.property(anyPublishableProduct(), (product) => {
        assert.deepEqual(problems(product as Product), [])
        assertValidInEveryVersion(product)
      }),
      runs,
    )
  })

  it('is the same after a round trip through the newest version', () => {
    fc.assert(
      fc.property(anyPublishableProduct(), (product) => {
        const detail = toCdsProductDetail(product, 7)
        const read = fromCdsProductDetail(detail)
        assert.deepEqual(read.lost, [])
        assert.ok(read.product)
        assert.deepEqual(Object.keys(read.product).sort(), Object.keys(product).sort())
        assert.deepEqual(toCdsProductDetail(read.product as PublishedProduct, 7), detail)
      }),
      runs,
    )
  })

  it('becomes a valid product again from every older version', () => {
    fc.assert(
      fc.property(anyPublishableProduct(), fc.constantFrom(4, 5, 6), (product, version) => {
        const detail = toCdsProductDetail(product, version)
        fc.pre(detail !== undefined)
        const read = fromCdsProductDetail(JSON.parse(JSON.stringify(detail)))
        assert.ok(read.product)
        assert.deepEqual(problems(read.product), [])
        assert.deepEqual(read.lost, [])
      }),
      runs,
    )
  })

  it('has every category, fee method, discount method and type in the generated products', () => {
    const seen = new Set<string>()
    for (const product of fc.sample(anyPublishableProduct(), { numRuns: 600, seed: 1 })) {
      collectValues(product, seen)
    }
    const expected = [
      ...values.productCategory,
      ...values.featureType,
      ...values.constraintType,
      ...values.eligibilityType,
      ...values.feeType,
      ...values.discountType,
      ...values.discountEligibilityType,
      ...values.depositRateType,
      ...values.lendingRateType,
      ...values.rateApplicabilityType,
      ...values.unitOfMeasure,
      ...values.cardScheme,
      'fixedAmount',
      'rateBased',
      'variable',
    ]
    assert.deepEqual(
      expected.filter((value) => !seen.has(value)),
      [],
    )
  })
})

describe('any product of the catalogue', () => {
  it('is valid in every version, or has faults at fields of existing objects', () => {
    fc.assert(
      fc.property(anyOf(Product), (product) => {
        const faults = findPublicationFaults(product, Number.POSITIVE_INFINITY)
        if (faults.length === 0) {
          assertValidInEveryVersion({ last_updated: '2026-05-01T00:00:00Z', ...product })
        }
        for (const { path } of faults) assert.ok(isFieldOfObject(product, path), path)
      }),
      runs,
    )
  })

  it('has a field of the standards for each field of its record, and no other', () => {
    const differences: string[] = []
    compareFields(cdsProduct, asNode(Product), '', differences)
    assert.deepEqual(differences, [])
  })
})

describe('a product of another holder', () => {
  it('becomes a valid product, or is rejected with the reason', () => {
    const junk = fc.oneof(
      fc.constant(null),
      fc.string(),
      fc.integer(),
      fc.constant([]),
      fc.object(),
    )
    fc.assert(
      fc.property(
        anyPublishableProduct(),
        fc.constantFrom(...cdsDetailVersions),
        fc.array(fc.tuple(fc.nat(), junk), { maxLength: 6 }),
        (product, version, damages) => {
          const detail = JSON.parse(JSON.stringify(toCdsProductDetail(product, version) ?? {}))
          for (const [place, value] of damages) damage(detail, place, value)

          const read = fromCdsProductDetail(detail)

          if (read.product) assert.ok(check(read.product), JSON.stringify(problems(read.product)))
          else assert.notEqual(read.lost.length, 0)
        },
      ),
      runs,
    )
  })
})

function collectValues(value: unknown, seen: Set<string>): void {
  if (typeof value === 'string') seen.add(value)
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) collectValues(inner, seen)
  }
}

function isFieldOfObject(product: Product, path: string): boolean {
  const keys = path.match(/[^.[\]]+/g) ?? []
  const parent = keys
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], product)
  return typeof parent === 'object' && parent !== null
}

function compareFields(object: CdsObject, record: Node, path: string, differences: string[]): void {
  const fields = new Set(Object.keys(object.fields))
  const names = new Set(Object.keys(record.properties ?? {}))
  for (const name of fields.symmetricDifference(names)) differences.push(`${path}${name}`)
  for (const [name, { type }] of Object.entries(object.fields)) {
    const node = record.properties?.[name]
    if (node === undefined || typeof type === 'string') continue
    if ('object' in type) compareFields(type.object, node, `${path}${name}.`, differences)
    if ('list' in type && typeof type.list === 'object' && node.items) {
      compareFields(type.list, node.items, `${path}${name}[].`, differences)
    }
    if ('oneOf' in type && String(node.enum) !== String(type.oneOf)) {
      differences.push(`${path}${name}: values`)
    }
  }
}

/** Replaces one value of the document, counted in depth-first order. */
function damage(document: unknown, place: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = []
  const visit = (node: unknown) => {
    if (!isObject(node) && !Array.isArray(node)) return
    for (const [key, inner] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key])
      visit(inner)
    }
  }
  visit(document)
  const [container, key] = places[place % places.length] ?? []
  if (container !== undefined && key !== undefined) container[key] = value
}
