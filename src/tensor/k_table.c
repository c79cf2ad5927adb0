/* k_table.c: the table of this instruction set. */
#include "tensor/kernels_set.h"

extern const struct kernels K(kernels_table);

const struct kernels K(kernels_table) = {
	.name = K_TEXT(KERNELS_SET),
	.matmul = K(k_matmul),
	.lookup = K(k_lookup),
	.layer_norm = K(k_layer_norm),
	.rms_norm = K(k_rms_norm),
	.softmax = K(k_softmax),
	.rope = K(k_rope),
	.attn_scores = K(k_attn_scores),
	.attn_weights = K(k_attn_weights),
	.attn_mix = K(k_attn_mix),
	.gelu_tanh = K(k_gelu_tanh),
	.gelu_erf = K(k_gelu_erf),
	.silu = K(k_silu),
	.exp = K(k_exp),
	.add = K(k_add),
	.mul = K(k_mul),
	.argmax = K(k_argmax),
	.log_softmax = K(k_log_softmax),
	.canon_nan = K(k_canon_nan),
	.burn = K(k_burn),
};
