/** Thrown if an execution has more events than the limit. */
export class EventLimit extends Error {}
