import { matchingEntries, type PtxModule } from '@nccl-ts/ptx';

/** The shortest of a few parts of a title that only one entry has. */
export function shortTitleOf(module: PtxModule, title: string): string {
  const withoutParameters = title.slice(0, openingOfParameters(title));
  const own = lastName(withoutParameters);
  const bare = own.replace(/<.*$/su, '');
  return (
    [bare, own, withoutParameters].find((part) => part !== '' && matchingEntries(module, part).length === 1) ?? title
  );
}

/** The index of the bracket before the parameters of a demangled function. */
function openingOfParameters(title: string): number {
  let depth = 0;
  for (let i = title.length - 1; i >= 0; i--) {
    if (title[i] === ')' || title[i] === '>') depth++;
    else if (title[i] === '(' || title[i] === '<') depth--;
    if (depth === 0) return title[i] === '(' ? i : title.length;
  }
  return title.length;
}

/** A name without its namespaces, with its template arguments. */
function lastName(title: string): string {
  let depth = 0;
  let from = 0;
  for (let i = 0; i < title.length; i++) {
    if (title[i] === '<' || title[i] === '(') depth++;
    else if (title[i] === '>' || title[i] === ')') depth--;
    else if (depth === 0 && title.startsWith('::', i)) from = i + 2;
  }
  return title.slice(from);
}
