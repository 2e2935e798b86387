/** The meaning of an integer of a kernel, by its name. */
export type NameMeaning = 'rank' | 'nRanks' | 'count' | 'bytes' | 'launch' | 'zero' | 'timeout';

const meanings: readonly (readonly [NameMeaning, RegExp])[] = [
  [
    'rank',
    /^(?:my|local|cur|current|this|self|tp|lsa|world|scaleup|dev|device|gpu|node)?(?:rank|pe|mype|dev|device|gpu)(?:id|idx|index|num)?$/u,
  ],
  [
    'nRanks',
    /^(?:n|num|nr|total|numof)?(?:ranks|pes|gpus|devices|peers)(?:pernode)?$|^(?:world|tp|group|team|comm|lsa)size$/u,
  ],
  ['bytes', /^(?:n|num|size|total|data|copy|buf|buffer|msg|message|copysize)?(?:in)?bytes$/u],
  [
    'count',
    /^(?:n|num|size|count|cnt|len|length|numel|total)$|^(?:n|num|total|tot|data)?(?:el|elt|elem|elements|elems|element|elts|items)(?:s|count|num|total)?$|^(?:data|total|input|output|elem|element)(?:size|count|length|num|len)$/u,
  ],
  [
    'launch',
    /^(?:barrier|sync|ready|new|cur|current)?(?:flag|epoch|seq|seqno|sequence|phase|generation|iteration|iter|round|flagvalue|flagval|callid|magic)$/u,
  ],
  ['timeout', /timeout|maxspin|maxwait|maxcycles/u],
  ['zero', /offset|^(?:start|begin|first|base)/u],
];

/** The meaning of a name; `undefined` if it says nothing. */
export function meaningOf(name: string): NameMeaning | undefined {
  const plain = name.toLowerCase().replaceAll('_', '');
  return meanings.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** True if the name of a pointer says that it leads to the memory of one peer. */
export function isPeerName(name: string): boolean {
  return /^(?:remote|peer|other|dst_?peer|neighbou?r)/iu.test(name) && !/(?:s|ptrs|table)$/u.test(name);
}

/** True if the name of a pointer says that it leads to the own copy of memory that peers read. */
export function isOwnCopyName(name: string): boolean {
  return /^(?:mine|my_?|own|local|self|stag|symm)/iu.test(name);
}

/** True if the name of a pointer says that results are stored there. */
export function isResultName(name: string): boolean {
  return /out|result|dst|dest|recv|sum|^res|^[cyo]$/iu.test(name);
}
