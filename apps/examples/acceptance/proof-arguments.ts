/** Why proofs of before are not kept. */
export interface ProofArgument {
  /** Parts of the keys of the programs: group, name and ranks. */
  readonly of: readonly string[];
  readonly title: string;
  readonly text: string;
}

export const proofArguments: readonly ProofArgument[] = [
  {
    of: ['LSA teams of 1, 2 ranks'],
    title: 'Nothing was checked',
    text:
      'In these five, no rank touches the memory of another, and none waits, because each rank is a team of its own. The ' +
      'proof said nothing about communication, but looked as if it did. Since 4df7125f6, the check calls that incomplete. ' +
      'With `local: true`, which says that each rank is to work alone, all five are clean for every schedule again.',
  },
  {
    of: ['twoshot_sync, 1 CTA'],
    title: 'Launches that may overlap',
    text:
      'The kernel has `griddepcontrol.wait`, and its host code uses programmatic launches, which may begin before the last ' +
      'launch has ended. Until 8d91d0120, launches of a harness never overlapped, so the proof was for other launches. ' +
      'With `programmatic: false`, it is there again. With overlap, one run proves nothing yet, because a thread of the ' +
      'next launch stores the next flag.',
  },
  {
    of: ['RMSNormMultimem, 4 ranks', 'RMSNormMultimem, 8 ranks'],
    title: 'A race that counted as harmless',
    text:
      "In the run that assumes that waits have learned less, a host's write between the launches and a peer's " +
      '`multimem.st` are not ordered. Until b94bacbe9, a store of an equal value replaced all other unordered accesses to ' +
      'its word. So the race with other values was hidden, and only a note was left that both write the same value. They ' +
      'do not, as [the list of results](results-nccl-deepep.md#what-does-not-hold) says of that note. Now that run has a ' +
      "race, and proves nothing. By PTX the doubt is right: `multimem.red` adds to each rank's word separately. So a wait " +
      'for a sum may count the second arrival of a fast rank instead of the first of a slow one. With two ranks there is ' +
      'no slow third one.',
  },
  {
    of: ['oneshot_lamport'],
    title: 'Lanes that do not exist',
    text:
      'The launch has two threads, and the reduction exchanges values with all 32 lanes of the warp. PTX leaves a value ' +
      'from a lane that takes no part undefined. The check takes the own value of the reader. Since 995888a1f, it names ' +
      'that. With 64 threads, the kernel is clean for every schedule.',
  },
  {
    of: ['rsag over PCIe'],
    title: 'Loads that a relaxed store may pass',
    text:
      'A relaxed store may become visible before a load above it, if nothing orders the two. No engine has such ' +
      'schedules. Since 9c1fec1a9, the check names the store.',
  },
  {
    of: ['notify_dispatch'],
    title: 'The elected lane',
    text:
      '`elect.sync` may elect any lane. The check always elects the lowest, so it has not seen the schedules of the ' +
      'others. Since 3d941e072, it says so.',
  },
];
