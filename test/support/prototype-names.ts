/** Names that every object inherits: an unguarded lookup of user input in an object literal finds them. */
export const prototypeNames = Object.getOwnPropertyNames(Object.prototype)

/** A similar name that no object has. All inherited names must be handled in the same way. */
export const unusedName = '__unused__'
