/** A link that somebody has sent: its target can be read before it is opened. */
export function Outward({ url }: { url: string }) {
  if (!/^(https?|mailto|tel):/i.test(url)) return <code>{url}</code>;
  return (
    <a class="outward" href={url} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  );
}
