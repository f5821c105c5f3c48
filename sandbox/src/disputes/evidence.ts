// The evidence of a dispute: what the provider lets a merchant state about a charge.
import type { Kinds } from '../state/resources.ts';

type Evidence = Kinds['dispute']['evidence'];

export const noEvidence = (): Evidence => ({
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
});

type TextName = Exclude<keyof Evidence, 'appeal' | 'enhanced_evidence'>;
export type EvidenceTexts = Partial<Record<TextName, string | null>>;

const textNames = Object.keys(noEvidence()).filter(
  (name): name is TextName => name !== 'enhanced_evidence',
);

/** The parameters of a call: every text, and the files by their ids. */
export const evidenceRules = Object.fromEntries(
  textNames.map((name): [TextName, 'text'] => [name, 'text']),
);

/** Merges the given texts into the evidence. An empty text removes one. */
export const mergeEvidence = (evidence: Evidence, given: EvidenceTexts): Evidence => {
  const merged = { ...evidence };
  for (const name of textNames) {
    const value = given[name];
    if (value !== undefined) merged[name] = value === '' ? null : value;
  }
  return merged;
};

export const hasEvidence = (evidence: Evidence): boolean =>
  textNames.some((name) => evidence[name] !== null);
