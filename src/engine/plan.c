#include "engine/plan.h"

#include <string.h>

#include "engine/op_kinds.h"

struct op plan_op(enum op_code code, int layer)
{
	return (struct op){.code = code, .layer = layer};
}

void plan_input(struct op *op, int value)
{
	op->inputs[op->input_count++] = value;
}

void plan_weight(struct op *op, struct weight *weight)
{
	op->weights[op->weight_count++] = weight;
}

int plan_value(const struct plan *plan, const char *name)
{
	return (int)map_get(&plan->names, name, strlen(name));
}

int plan_producer(const struct plan *plan, const char *name)
{
	int value = plan_value(plan, name);
	return value == PLAN_NONE ? PLAN_NONE : plan->values[value].producer;
}

/* Room for one more element; arrays are copied when they grow, the arena keeps the old. */
static void *grown(struct arena *arena, void *old, int count, int *capacity, size_t size)
{
	if (count < *capacity)
		return old;
	*capacity = *capacity == 0 ? 64 : *capacity * 2;
	void *new = arena_array(arena, (size_t)*capacity, size);
	if (count > 0)
		memcpy(new, old, (size_t)count * size);
	return new;
}

static int new_value(struct plan *plan, const char *name, const struct spec *spec, struct err *err)
{
	plan->values = grown(plan->arena, plan->values, plan->value_count, &plan->value_capacity, sizeof *plan->values);
	if (!map_put(&plan->names, name, strlen(name), plan->value_count)) {
		err_input(err, NULL, name, "two operations write a value of that name");
		return PLAN_NONE;
	}
	plan->values[plan->value_count] = (struct value){.name = arena_strdup(plan->arena, name), .spec = *spec};
	return plan->value_count++;
}

/* Every input but the operation's own writes must exist already. */
static bool shape_of(const struct plan *plan, const struct op *op, struct spec *out, struct err *err)
{
	struct spec in[OP_MAX_INPUTS] = {{0}};
	for (int i = 0; i < op->input_count; i++) {
		if (op->inputs[i] < 0 || op->inputs[i] >= plan->value_count)
			return err_input(err, NULL, op->name, "input %d of %s does not exist", i,
				op_kind(op->code)->name);
		in[i] = plan->values[op->inputs[i]].spec;
	}
	return op_kind(op->code)->shape(op, &plan->dims, in, out, err);
}

/* Gives the operation its outputs; the operation itself is put into the list by the caller. */
static bool make_outputs(struct plan *plan, struct op *op, const char *name, const char *const *outputs, int count,
	struct err *err)
{
	struct spec out[OP_MAX_OUTPUTS] = {{0}};
	op->name = arena_strdup(plan->arena, name);
	op->output_count = count;
	if (!shape_of(plan, op, out, err))
		return false;
	op->per_row = out[0].axes[0] == 'B' && out[0].axes[1] != 'S';
	for (int i = 0; i < count; i++) {
		op->outputs[i] = new_value(plan, outputs[i], &out[i], err);
		if (op->outputs[i] == PLAN_NONE)
			return false;
		plan->values[op->outputs[i]].is_state = op->code == OP_cache_write;
	}
	return true;
}

int plan_add_many(struct plan *plan, struct op op, const char *name, const char *const *outputs, int count,
	struct err *err)
{
	plan->ops = grown(plan->arena, plan->ops, plan->op_count, &plan->op_capacity, sizeof *plan->ops);
	if (!make_outputs(plan, &op, name, outputs, count, err))
		return PLAN_NONE;
	plan->ops[plan->op_count++] = op;
	return op.outputs[0];
}

int plan_add(struct plan *plan, struct op op, const char *name, struct err *err)
{
	return plan_add_many(plan, op, name, &name, 1, err);
}

int plan_insert_after(struct plan *plan, struct op op, int input, const char *name, struct err *err)
{
	int at = plan->values[input].producer + 1;
	op.input_count = 0;
	plan_input(&op, input);
	plan->ops = grown(plan->arena, plan->ops, plan->op_count, &plan->op_capacity, sizeof *plan->ops);
	if (!make_outputs(plan, &op, name, &name, 1, err))
		return PLAN_NONE;
	for (int i = at; i < plan->op_count; i++) {
		for (int j = 0; j < plan->ops[i].input_count; j++) {
			if (plan->ops[i].inputs[j] == input)
				plan->ops[i].inputs[j] = op.outputs[0];
		}
	}
	memmove(&plan->ops[at + 1], &plan->ops[at], (size_t)(plan->op_count - at) * sizeof *plan->ops);
	plan->ops[at] = op;
	plan->op_count++;
	plan_finish(plan);
	return op.outputs[0];
}

void plan_finish(struct plan *plan)
{
	for (int i = 0; i < plan->op_count; i++) {
		const struct op *op = &plan->ops[i];
		for (int j = 0; j < op->output_count; j++)
			plan->values[op->outputs[j]].producer = plan->values[op->outputs[j]].last_use = i;
		for (int j = 0; j < op->input_count; j++)
			plan->values[op->inputs[j]].last_use = i;
	}
}

static const struct {
	const char *name;
	bool (*build)(struct plan *plan, struct model *model, struct err *err);
} groups[] = {
	{"gpt2", plan_gpt2},
	{"llama", plan_llama},
};

bool plan_build(struct plan **result, struct model *model, struct plan_way way, struct arena *arena, struct err *err)
{
	const struct config *config = model_config(model);
	struct plan *plan = ARENA_NEW(arena, struct plan);
	plan->arena = arena;
	plan->layers = config->layers;
	plan->dims = (struct dims){.H = config->hidden,
		.N = config->heads,
		.G = config->kv_heads,
		.D = config->head_width,
		.F = config->mlp,
		.V = config->vocabulary,
		.packed = way.layout == LAYOUT_PACKED};
	plan->way = way;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		if (strcmp(groups[i].name, config_group(config)) != 0)
			continue;
		if (!groups[i].build(plan, model, err)) {
			map_free(&plan->names);
			return false;
		}
		plan_finish(plan);
		*result = plan;
		return true;
	}
	return err_input(err, model_path(model), "config.json", "there is no list of operations for the family \"%s\"",
		config->family);
}

void plan_free(struct plan *plan)
{
	if (plan != NULL)
		map_free(&plan->names);
}
