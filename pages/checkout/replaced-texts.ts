// A browser that translates a page replaces the page's text nodes by its own: later changes to the old
// nodes are not visible. So every text has an element of its own, which is replaced when the text changes.

import {
  type ComponentChild,
  type ComponentChildren,
  createElement,
  Fragment,
  options,
} from 'preact';

/** Elements that can contain only text. */
const textOnly = /^(option|title|textarea|style|script)$/;

const isText = (child: ComponentChild): child is string | number =>
  typeof child === 'string' || typeof child === 'number';

const wrapInSpan = (text: string): ComponentChild =>
  text.trim() ? createElement('span', { key: text }, text) : text;

/** Joins neighbouring texts into one element, so that a translator sees one sentence. */
function wrap(children: ComponentChildren): ComponentChildren {
  if (!Array.isArray(children)) return isText(children) ? wrapInSpan(`${children}`) : children;
  const wrapped: ComponentChild[] = [];
  let text = '';
  const flushText = () => {
    if (text) wrapped.push(wrapInSpan(text));
    text = '';
  };
  for (const child of children) {
    if (isText(child)) {
      text += child;
      // Keeps the position of each child, whatever text is added or removed beside it.
      wrapped.push(null);
    } else {
      flushText();
      wrapped.push(Array.isArray(child) ? (wrap(child) as ComponentChild) : child);
    }
  }
  flushText();
  return wrapped;
}

/** Installs the hook; call it once, before the first render. */
export function replaceTexts(): void {
  const next = options.vnode;
  options.vnode = (vnode) => {
    const { type, key } = vnode;
    const props = vnode.props as { children?: ComponentChildren };
    const isOwn = type === 'span' && key !== undefined && key === props.children;
    const holdsText = type === Fragment || (typeof type === 'string' && !textOnly.test(type));
    if (holdsText && !isOwn && props.children !== undefined) props.children = wrap(props.children);
    next?.(vnode);
  };
}
