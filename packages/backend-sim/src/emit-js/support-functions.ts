/**
 * Functions and tables by the names that generated text calls them. The text knows their types;
 * TypeScript does not.
 */
export type SupportFunctions = Readonly<Record<string, unknown>>;
