/** Names of types that more than two files may declare, each with its reason. */
export const sharedTypeNames: Readonly<Record<string, string>> = {};
