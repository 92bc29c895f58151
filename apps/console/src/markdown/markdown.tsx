import { micromark } from 'micromark';
import { type ComponentChild, h } from 'preact';
import { useState } from 'preact/hooks';
import { trusted } from '../frame/trusted';

const plain = new Set([
  ...['p', 'em', 'strong', 'code', 'pre', 'ul', 'ol', 'li', 'blockquote', 'hr', 'br'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
]);
/** A text of a page starts below the heading of that page. */
const levels: Readonly<Record<string, string>> = { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6' };
const linkForm = /^(https?:|mailto:|tel:)/i;

/** The text as elements of a closed list. micromark lets no HTML through, and this would let none of it live. */
export default function Markdown({ text }: { text: string }) {
  const html = trusted.createHTML(micromark(text));
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return <div class="markdown">{[...body.childNodes].map(shown)}</div>;
}

function shown(node: Node): ComponentChild {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent;
  if (!(node instanceof Element)) return null;
  const name = node.localName;
  const children = [...node.childNodes].map(shown);
  if (name === 'img')
    return <Picture url={node.getAttribute('src')} label={node.getAttribute('alt') ?? ''} />;
  if (name === 'a') return <Outward url={node.getAttribute('href')}>{children}</Outward>;
  return plain.has(name) ? h(levels[name] ?? name, {}, children) : children;
}

function Outward({ url, children }: { url: string | null; children: ComponentChild }) {
  if (url === null || !linkForm.test(url)) return <>{children}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Another host learns of the reader only when they want the picture. */
function Picture({ url, label }: { url: string | null; label: string }) {
  const [isWanted, setWanted] = useState(false);
  if (url === null || !/^https:/i.test(url)) return <>{label}</>;
  if (isWanted) return <img src={url} alt={label} referrerpolicy="no-referrer" />;
  return (
    <button type="button" onClick={() => setWanted(true)}>
      Show picture{label && `: ${label}`}
    </button>
  );
}
