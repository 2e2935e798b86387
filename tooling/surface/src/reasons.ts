/** Why a public name of NCCL has no counterpart here. */
export const reasons = {
  profilingAlias:
    'The second name of a function, for tools that step in between. JavaScript wraps a function without one.',
  cLanguage:
    'Says something to a C or C++ compiler, or does by hand what JavaScript does: sizes and versions of structs, counts of enums.',
  inside: "NCCL's own layout or plumbing, in sight because it is a header. Nothing for a caller to do with it.",
  irSpelling:
    'A second spelling of `ncclGin` in C, for compilers that link the bitcode. `ncclGin` itself is what counts.',
  hostLibrary: "The host library's: not device-initiated.",
  plugin: 'Between NCCL and its network plugins.',
  windowsStub: 'Only in what stands for gin.h in builds for Windows, which have no GIN. Nothing defines it there.',
} as const satisfies Readonly<Record<string, string>>;

export type Reason = keyof typeof reasons;
