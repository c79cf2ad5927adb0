#include "cli/verdict.h"

#include <inttypes.h>

#include "analysis/faults.h"
#include "base/i18n.h"
#include "base/json.h"
#include "draw/show.h"
#include "view/proofs.h"

static const char *request_id(const struct trace *trace, int32_t request)
{
	return trace_batch(trace)->requests[request].id;
}

/* --- JSON --- */

static void add_proof(struct json_writer *writer, const char *name, const struct isolation_proof *proof)
{
	json_key(writer, name);
	json_begin_object(writer);
	json_put_bool(writer, "ok", proof->ok);
	json_put_int(writer, "tensors", proof->tensors);
	json_put_int(writer, "values", proof->values);
	json_put_int(writer, "differing", proof->bad);
	json_put_int(writer, "runs", proof->runs);
	json_end_object(writer);
}

static void add_audit(struct json_writer *writer, const struct isolation_audit *audit)
{
	json_key(writer, "audit");
	json_begin_object(writer);
	json_put_bool(writer, "ok", audit->ok);
	json_put_int(writer, "cells", audit->cells);
	json_put_int(writer, "differing", audit->bad);
	json_key(writer, "first");
	if (audit->first.name == NULL) {
		json_add_null(writer);
	} else {
		json_begin_object(writer);
		json_put_int(writer, "pass", audit->first.pass);
		json_put_string(writer, "name", audit->first.name);
		json_put_ints(writer, "index", audit->first.index, audit->first.rank);
		json_end_object(writer);
	}
	json_end_object(writer);
}

static void add_leak(struct json_writer *writer, const struct leak *leak, const struct trace *trace)
{
	json_key(writer, "first_leak");
	if (!leak->found) {
		json_add_null(writer);
		return;
	}
	json_begin_object(writer);
	json_put_int(writer, "pass", leak->pass);
	json_put_string(writer, "op", trace_value(trace, leak->value)->name);
	json_put_string(writer, "row", request_id(trace, leak->request));
	json_put_int(writer, "position", leak->position);
	json_put_ints(writer, "index", leak->index, leak->rank);
	json_put_string(writer, "proof", proof_name(leak->proof));
	json_key(writer, "from_row");
	if (leak->from >= 0)
		json_add_string(writer, request_id(trace, leak->from));
	else if (leak->from == LEAK_FROM_PADDING)
		json_add_string(writer, "padding");
	else
		json_add_null(writer);
	json_end_object(writer);
}

/* The faults in force, each with what the batch lacks for it to show. */
static void add_faults(struct json_writer *writer, const struct trace *trace)
{
	const struct trace_info *info = trace_info(trace);
	json_key(writer, "faults");
	json_begin_array(writer);
	for (size_t i = 0; info->faults[i] != NULL; i++) {
		const struct fault *fault = faults_find(info->faults[i]);
		struct buf lacking = BUF_INIT;
		if (fault != NULL)
			faults_lacking(fault, trace_batch(trace), info->pad_token < 0 ? 0 : (int32_t)info->pad_token,
				&lacking);
		json_begin_object(writer);
		json_put_string(writer, "name", info->faults[i]);
		json_put_string(writer, "batch_lacks", lacking.length > 0 ? buf_text(&lacking) : NULL);
		json_end_object(writer);
		buf_free(&lacking);
	}
	json_end_array(writer);
}

void verdict_json(const struct isolation *result, const struct trace *trace, struct buf *out)
{
	struct json_writer writer;
	json_writer_init(&writer, out, true);
	json_begin_object(&writer);
	json_put_bool(&writer, "ok", result->ok);
	json_key(&writer, "proofs");
	json_begin_object(&writer);
	for (int i = 0; i < PROOF_REPLAY; i++)
		add_proof(&writer, proof_name((enum proof)i), &result->proofs[i]);
	json_end_object(&writer);
	add_proof(&writer, "replay", &result->proofs[PROOF_REPLAY]);
	add_audit(&writer, &result->audit);
	add_leak(&writer, &result->first, trace);
	add_faults(&writer, trace);
	json_end_object(&writer);
	buf_add_char(out, '\n');
}

/* --- sentences --- */

static void add_leak_line(struct buf *out, const struct leak *leak, const struct trace *trace)
{
	buf_printf(out, _("first leak: pass %" PRId64 ", "), leak->pass);
	show_text(out, trace_value(trace, leak->value)->name);
	buf_add_char(out, '[');
	for (int i = 0; i < leak->rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "", leak->index[i]);
	buf_add_text(out, _("], row "));
	show_text(out, request_id(trace, leak->request));
	buf_printf(out, _(", position %" PRId64 " (proof: %s"), leak->position, proof_name(leak->proof));
	if (leak->from >= 0) {
		buf_add_text(out, _(", from row "));
		show_text(out, request_id(trace, leak->from));
	} else if (leak->from == LEAK_FROM_PADDING) {
		buf_add_text(out, _(", from padding"));
	}
	if (leak->expected != leak->got)
		buf_printf(out, _("; recorded 0x%08x, got 0x%08x"), leak->expected, leak->got);
	buf_add_text(out, ")\n");
}

static void add_audit_line(struct buf *out, const struct isolation_audit *audit)
{
	buf_printf(out,
		_("%-10s %-4s %" PRId64 " cells of %" PRId64 " tensors explained and recomputed, %" PRId64 " differ\n"),
		"audit", audit->ok ? "ok" : "BAD", audit->cells, audit->values, audit->bad);
	if (audit->first.name == NULL)
		return;
	buf_printf(out, _("first that is not recomputed: pass %" PRId64 ", %s["), audit->first.pass, audit->first.name);
	for (int i = 0; i < audit->first.rank; i++)
		buf_printf(out, "%s%" PRId64, i > 0 ? "," : "", audit->first.index[i]);
	buf_printf(out, _("]: recorded 0x%08x, recomputed 0x%08x\n"), audit->first.bits, audit->first.recomputed_bits);
}

/* Faults in force that left no trace, and why. */
static void add_hidden_faults(struct buf *out, const struct trace *trace)
{
	const struct trace_info *info = trace_info(trace);
	for (size_t i = 0; info->faults[i] != NULL; i++) {
		const struct fault *fault = faults_find(info->faults[i]);
		struct buf lacking = BUF_INIT;
		if (fault != NULL)
			faults_lacking(fault, trace_batch(trace), info->pad_token < 0 ? 0 : (int32_t)info->pad_token,
				&lacking);
		if (lacking.length > 0)
			buf_printf(out, _("%s cannot show in this batch; it needs: %s\n"), info->faults[i],
				buf_text(&lacking));
		else
			buf_printf(out, _("%s did not show in this batch\n"), info->faults[i]);
		buf_free(&lacking);
	}
}

void verdict_text(const struct isolation *result, const struct trace *trace, struct buf *out)
{
	buf_add_char(out, '\n');
	for (int i = 0; i < PROOF_COUNT; i++) {
		const struct isolation_proof *proof = &result->proofs[i];
		buf_printf(out, "%-10s %-4s ", proof_name((enum proof)i), proof->ok ? "ok" : "LEAK");
		proofs_counts(proof, out);
		buf_add_text(out, proof->runs == 0 ? _(" (one row: there is no neighbour to scramble)\n") : "\n");
	}
	add_audit_line(out, &result->audit);
	if (result->first.found)
		add_leak_line(out, &result->first, trace);
	buf_add_text(out,
		result->ok ? _("isolated: every row is the same, bit for bit, with and without its neighbours\n")
			   : _("NOT isolated\n"));
	if (result->ok)
		add_hidden_faults(out, trace);
}
