/** The reasons why a public name of NCCL has no counterpart here. */
export const reasons = {
  profilingAlias:
    'The second name of a function, for tools that step in between. JavaScript wraps a function without one.',
  cLanguage:
    'Informs a C or C++ compiler, or does by hand what JavaScript does itself: sizes and versions of structs, counts of enums.',
  inside: "NCCL's own layout or plumbing, visible only because it is in a header. A caller cannot use it.",
  irSpelling:
    'A second spelling of `ncclGin` in C, for compilers that link the bitcode. `ncclGin` itself is what counts.',
  hostLibrary: 'It belongs to the host library, and is not device-initiated.',
  plugin: 'It is between NCCL and its network plugins.',
  windowsStub:
    'It exists only in the stand-in for gin.h in builds for Windows, which have no GIN. NCCL declares it but does not define it.',
} as const satisfies Readonly<Record<string, string>>;

export type Reason = keyof typeof reasons;

/** The reasons why a public name of NCCL is only planned. */
export const planReasons = {
  fabricBarriers:
    'CFT: barriers of your own, in a resource buffer. No constructor of `ncclCftBarrierSession` takes a handle, so no document says how a kernel uses one. `cftBarrierCount` gives barriers.',
  callOptions:
    'A policy for CTAs: fewer of them for the same speed, which takes measurements on GPUs, or none at all, which takes copies by the copy engines. `maxCtas` limits them here.',
  properties:
    'A number that distinguishes communicators. No document says what it is computed from or how long it stays the same, and no call takes it. Communicators here have no number that all their processes know.',
  tma: 'It copies by TMA, on Blackwell and later GPUs, through shared memory of the caller. The kernel language has no TMA; `reduceCopy.copy` copies the same bytes.',
} as const satisfies Readonly<Record<string, string>>;

export type PlanReason = keyof typeof planReasons;
