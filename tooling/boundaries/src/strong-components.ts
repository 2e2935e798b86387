/** The groups of two or more nodes that are reachable from each other, by Tarjan's algorithm. */
export function strongComponents(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const components: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    open.push(node);
    isOpen.add(node);
    let low = index;
    for (const next of edges.get(node) ?? []) {
      const seen = order.get(next);
      if (seen === undefined) low = Math.min(low, visit(next));
      else if (isOpen.has(next)) low = Math.min(low, seen);
    }
    if (low === index) {
      const component = open.splice(open.indexOf(node));
      for (const member of component) isOpen.delete(member);
      if (component.length > 1) components.push(component.toSorted());
    }
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return components.toSorted(([a = ''], [b = '']) => a.localeCompare(b));
}
