/** The build of the site makes this module: the names of `nccl-ts` that most programs need. */
declare module 'virtual:nccl-ts-first' {
  export * from 'nccl-ts';
}
