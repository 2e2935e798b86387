/** True if lane `lane` is in a mask of lanes. */
export function isMember(mask: number, lane: number): boolean {
  return ((mask >>> lane) & 1) === 1;
}
