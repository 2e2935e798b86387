/** Thrown if an execution has more events than the limit. */
export class EventLimit extends Error {}

/** Thrown inside a run if a limit for all runs together is reached. */
export class SpaceLimit extends Error {}
