// Our own small drawings. They are hidden from screen readers, because text always stands beside them.

import type { ComponentChildren } from 'preact';

const Drawing = ({ children, size = 20 }: { children: ComponentChildren; size?: number }) => (
  <svg
    class="icon"
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
);

export const LockIcon = () => (
  <Drawing size={16}>
    <rect x="4" y="9" width="12" height="8" rx="2" />
    <path d="M6.5 9V6.5a3.5 3.5 0 0 1 7 0V9" />
  </Drawing>
);
export const BackIcon = () => (
  <Drawing size={18}>
    <path d="M12 4.5 6.5 10l5.5 5.5" />
  </Drawing>
);
export const AlertIcon = ({ size = 20 }: { size?: number }) => (
  <Drawing size={size}>
    <circle cx="10" cy="10" r="7.5" />
    <path d="M10 6.2v4.6M10 13.8h.01" />
  </Drawing>
);
export const CheckIcon = () => (
  <Drawing size={30}>
    <path class="draw" d="m4.5 10.5 3.8 3.8 7.4-8" />
  </Drawing>
);
export const HoldIcon = () => (
  <Drawing size={30}>
    <circle cx="10" cy="10" r="7" />
    <path d="M10 6.2V10l2.6 1.8" />
  </Drawing>
);
export const BankIcon = ({ size = 30 }: { size?: number }) => (
  <Drawing size={size}>
    <path d="M3.5 8 10 4l6.5 4M5 8v6.5M10 8v6.5M15 8v6.5M3.5 16.5h13" />
  </Drawing>
);
export const WalletIcon = ({ size = 30 }: { size?: number }) => (
  <Drawing size={size}>
    <path d="M15.5 6.5v-2h-10a2 2 0 0 0 0 4h11v7.5h-11a2 2 0 0 1-2-2V6.5M13.2 12h.01" />
  </Drawing>
);
export const CrossIcon = ({ size = 30 }: { size?: number }) => (
  <Drawing size={size}>
    <path d="m6 6 8 8M14 6l-8 8" />
  </Drawing>
);
export const CardIcon = ({ size = 22 }: { size?: number }) => (
  <Drawing size={size}>
    <rect x="2.5" y="4.5" width="15" height="11" rx="2" />
    <path d="M2.5 8.5h15M5.5 12.5h3" />
  </Drawing>
);
