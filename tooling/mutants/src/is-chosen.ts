/** True if a program's name begins with one of those that `--subject` lists: `A,B`. */
export function isChosen(name: string, subject: string): boolean {
  return subject.split(',').some((begin) => name.startsWith(begin));
}
