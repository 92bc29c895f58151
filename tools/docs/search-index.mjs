// Makes the index that the search of the pages loads: their parts, and for each word the parts that have it.
import { wordsOf } from './site/search.mjs';

/** What is written for those who change Carillon is not searched. */
const isSearched = ({ slug }) => !/^(adr|certificates)(\/|$)/.test(slug);

/** A word that so many of the parts have tells apart only those that are called like it. */
const tooCommon = 0.2;

export function searchIndex(pages) {
  const searched = pages.filter(isSearched);
  const entries = [];
  const words = new Map();
  const titles = new Map();
  const note = (map, text, number) => {
    for (const word of new Set(wordsOf(text))) map.set(word, [...(map.get(word) ?? []), number]);
  };
  for (const [page, { title: pageTitle, sections }] of searched.entries())
    for (const { id, level, title, text } of sections) {
      // There is nothing before the first heading.
      if (level === 1 && title === '') continue;
      const name = title || pageTitle;
      const number = entries.push([page, level === 1 ? '' : id, name]) - 1;
      note(words, `${name} ${text}`, number);
      note(titles, name, number);
    }
  const steps = (numbers) =>
    numbers.map((each, at) => (each - (numbers[at - 1] ?? 0)).toString(36)).join(' ');
  const isCommon = (numbers) => numbers.length > tooCommon * entries.length;
  return {
    pages: searched.map(({ slug, title }) => [slug, title]),
    entries,
    words: Object.fromEntries(
      [...words]
        .map(([word, numbers]) => [word, isCommon(numbers) ? (titles.get(word) ?? []) : numbers])
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([word, numbers]) => [word, steps(numbers)]),
    ),
  };
}
