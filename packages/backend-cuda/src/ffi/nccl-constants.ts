/** The integers of NCCL's API that are used here. @see nccl.h */
export const ncclSplit: Readonly<Record<'noColor', number>> = { noColor: -1 };
