/** Files of a member that import each other, and the reason. */
export interface InherentCircle {
  /** The member's folder. */
  readonly member: string;
  /** The files, without `src/`. The circle may have fewer files than these, but no others. */
  readonly files: readonly string[];
  readonly why: string;
}

/** An arrow between two rooms of a member that runs up, and the reason. */
export interface InherentArrow {
  readonly member: string;
  /** The room that imports: a folder of `src`, or a file at its root. */
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** The allowed arrows that run up: at most three in the whole repository. */
export const inherentArrows: readonly InherentArrow[] = [];

/**
 * The allowed circles between files. A circle of types does not exist at run time. In the others,
 * no file uses another during its import.
 */
export const inherentCircles: readonly InherentCircle[] = [
  {
    member: 'packages/kernel',
    files: ['author/accept.ts', 'author/device-fn.ts', 'author/param-type.ts'],
    why: 'types: a struct has methods, which are device functions, which accept structs',
  },
  {
    member: 'packages/kernel',
    files: ['convert', 'literal', 'lowering', 'return-slot', 'variable'].map((name) => `lower/${name}.ts`),
    why: 'a lowering has the slot that a function returns into, and a slot is assigned by a lowering',
  },
  {
    member: 'packages/kernel',
    files: [
      'assignment',
      'call-device-fn',
      'choice',
      'context',
      'expression',
      'inline',
      'logical-assignment',
      'loop',
      'member',
      'pattern',
      'statement',
    ].map((name) => `lower/${name}.ts`),
    why: 'the language is recursive: expressions hold functions, functions hold statements, statements hold expressions',
  },
  {
    member: 'packages/memory-model',
    files: ['watch/witnesses.ts', 'watch/word-log.ts'],
    why: 'types: the log of a word has the witnesses of its versions, and a witness names the versions in a log',
  },
  {
    member: 'packages/harness',
    files: ['allocation', 'expectation', 'memory-image', 'memory-type', 'pointer', 'write-step'].map(
      (name) => `memory/${name}.ts`,
    ),
    why: 'an allocation has a type, a type writes images of memory, an image holds pointers, a pointer names an allocation',
  },
  {
    member: 'packages/communicator',
    files: ['rank/rank-state.ts', 'rank/world-state.ts'],
    why: 'types: a rank knows its world, and a world its ranks',
  },
  {
    member: 'packages/backend-sim',
    files: ['engine/launch.ts', 'engine/stream.ts'],
    why: 'types: a launch knows its stream, and a stream its launches',
  },
  {
    member: 'packages/backend-webgpu',
    files: ['engine/launch.ts', 'engine/stream.ts'],
    why: 'types: a launch knows its stream, and a stream its launches',
  },
  {
    member: 'packages/backend-webgpu',
    files: ['emit-wgsl/emit-address.ts', 'emit-wgsl/emit-expression.ts'],
    why: 'an expression has addresses, and expressions compute addresses',
  },
  {
    member: 'packages/webgpu-distributed',
    files: ['server/rank-session.ts', 'server/world-server.ts'],
    why: 'a server has sessions, and a session asks the server for the others',
  },
  {
    member: 'packages/backend-cuda',
    files: ['emit-coop', 'emit-expression', 'lsa-address', 'native-lsa', 'native-multimem'].map(
      (name) => `emit-cuda/${name}.ts`,
    ),
    why: "an expression may be a call in NCCL's words, whose arguments are expressions",
  },
];
