/** Memory that every rank has, under a name that findings use. */
export interface Allocation {
  readonly name: string;
  readonly bytes: number;
}
