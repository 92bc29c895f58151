interface Policy {
  createScriptURL(url: string): string;
  createHTML(html: string): string;
}

interface WithPolicies {
  readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy };
}

export const workerUrl = '/console/worker.js';

const rules: Policy = {
  createScriptURL: (url) => {
    if (url !== workerUrl) throw new TypeError('Only the worker is loaded by its URL');
    return url;
  },
  // For a document that is never shown: what is shown is made anew of its allowed elements.
  createHTML: (html) => html,
};

/** The one policy that the console's headers let in. A browser without Trusted Types takes the texts themselves. */
export const trusted: Policy =
  (globalThis as WithPolicies).trustedTypes?.createPolicy('carillon', rules) ?? rules;
