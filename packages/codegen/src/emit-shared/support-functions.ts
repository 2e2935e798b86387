/**
 * Functions and tables by their names in generated text. The text knows their types, but TypeScript
 * does not.
 */
export type SupportFunctions = Readonly<Record<string, unknown>>;
