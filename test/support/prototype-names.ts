/** Names that every object inherits: a lookup of outside text in an object literal finds them. */
export const prototypeNames = Object.getOwnPropertyNames(Object.prototype)

/** A name of the same kind that no object has. Whatever is given instead of it must be answered in the same way. */
export const unusedName = '__unused__'
