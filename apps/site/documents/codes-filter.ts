import { useRoute } from 'vitepress';
import { defineComponent, h, nextTick, onMounted, onUnmounted, ref } from 'vue';

/** Filters the entries of the list of codes, and opens the one that the address names. */
export const CodesFilter = defineComponent({
  name: 'CodesFilter',
  setup: () => {
    const told = ref('');
    const route = useRoute();
    const filter = (event: Event): void => {
      const query = event.target instanceof HTMLInputElement ? event.target.value.trim().toLowerCase() : '';
      const all = [...document.querySelectorAll<HTMLDetailsElement>('.code-entry')];
      const shown = all.filter((entry) => (entry.textContent ?? '').toLowerCase().includes(query));
      for (const entry of all) {
        entry.hidden = !shown.includes(entry);
        entry.open = query !== '' && shown.length === 1 && !entry.hidden;
      }
      told.value =
        query === ''
          ? ''
          : shown.length === 0
            ? `No code matches “${query}”.`
            : `${shown.length} of ${all.length} codes`;
    };
    const openNamed = (): void => {
      const id = decodeURIComponent(location.hash.slice(1));
      const entry = id === '' ? null : (document.getElementById(id)?.closest('details') ?? null);
      if (entry === null) return;
      entry.open = true;
      void nextTick(() => entry.scrollIntoView());
    };
    const showAddress = ({ target }: Event): void => {
      const id = target instanceof HTMLDetailsElement && target.open ? target.querySelector('h3')?.id : undefined;
      if (id !== undefined) history.replaceState(history.state, '', `#${id}`);
    };
    onMounted(() => {
      openNamed();
      // The event of a `details` does not bubble.
      document.addEventListener('toggle', showAddress, { capture: true });
      addEventListener('hashchange', openNamed);
    });
    onUnmounted(() => {
      document.removeEventListener('toggle', showAddress, { capture: true });
      removeEventListener('hashchange', openNamed);
    });
    return () =>
      h('div', { class: 'codes-filter', key: route.path }, [
        h('input', {
          type: 'search',
          placeholder: 'Filter: K1005, barrier, acquire …',
          'aria-label': 'Filter the codes',
          onInput: filter,
        }),
        h('p', { role: 'status' }, told.value),
      ]);
  },
});
