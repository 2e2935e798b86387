/** Why a test may differ from what Dat3M expects, by its path below `litmus/PTX`. */
export const reasons: Readonly<Record<string, string>> = {};
