PRAGMA application_id = 1181511799;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'flopwise','step_001_plans','2026-12-02 07:59:06.566358+00:00');
CREATE TABLE journal (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        session TEXT NOT NULL,
        base_revision INTEGER NOT NULL,
        plan TEXT NOT NULL,
        created TEXT NOT NULL,
        UNIQUE (plan_id, session)
    ) STRICT;
INSERT INTO "journal" VALUES(1,'a94a4518abad48c3a21cca560b0a803a','55e5bed10bdc40358bd20572bc8a6418',2,'{
  "schema_version": 1,
  "meta": {
    "name": "unsaved",
    "organisation": "",
    "project": "",
    "team": "",
    "owner": "",
    "currency": "USD"
  },
  "workload": {
    "kind": "pretraining"
  },
  "architecture": {
    "model_name": "",
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": null,
    "head_dim": null,
    "intermediate_size": 2048,
    "vocab_size": 32000,
    "gated_mlp": true,
    "tie_word_embeddings": false,
    "num_experts": 0,
    "num_experts_per_tok": 0,
    "moe_intermediate_size": null,
    "shared_expert_intermediate_size": 0,
    "first_k_dense_replace": 0
  },
  "training": {
    "tokens": 1000000000.0,
    "sequence_length": 2048,
    "global_batch_tokens": 1000000.0,
    "precision": "bf16",
    "critical_batch_tokens": null,
    "evaluation_share": 0.02
  },
  "serving": null,
  "batch": null,
  "cluster": {
    "accelerator": "h100-sxm",
    "accelerator_count": 8,
    "accelerators_per_node": null,
    "price_mode": "on_demand",
    "price_per_gpu_hour": null,
    "provider": null,
    "region": null,
    "commitment_term_months": null,
    "busy_share": 0.95,
    "accelerator_spec": null,
    "nic_gbps_per_gpu": null,
    "scale_up_domain": null
  },
  "layout": {
    "tensor_parallel": "auto",
    "pipeline_parallel": "auto",
    "context_parallel": "auto",
    "expert_parallel": "auto",
    "virtual_pipeline": "auto",
    "micro_batch": "auto",
    "sharding": "auto",
    "recompute": "auto"
  },
  "reliability": {
    "failures_per_node_day": null,
    "checkpoint_interval_s": "auto",
    "checkpoint_mode": "sync",
    "checkpoint_write_s": null,
    "checkpoint_stall_s": null,
    "restart_s": null,
    "detection_s": null,
    "preemptions_per_node_hour": null,
    "spare_nodes": 0,
    "restore_tested": null
  },
  "experiments": {
    "runs": 0,
    "run_share": 0.01,
    "failed_share": 0.2,
    "rerun_share": 0.0
  },
  "data": {
    "acquisition_cost": 0.0,
    "preparation_cost": 0.0
  },
  "storage": {
    "dataset_gb": null,
    "checkpoints_kept": "all",
    "checkpoint_tier": "hot_object",
    "months_after_run": 6.0,
    "items": []
  },
  "network": {
    "egress_gb": 0.0,
    "cross_region_gb": 0.0
  },
  "people": {
    "roles": []
  },
  "operations": {
    "monthly_cost": 0.0,
    "support_share": 0.0,
    "energy_included": true,
    "energy_price_per_kwh": null
  },
  "schedule": {
    "start_date": null,
    "horizon_months": 12.0,
    "deadline_days": null,
    "cost_of_delay_per_day": null,
    "interruptible": null
  },
  "scope": {
    "categories": [
      "compute",
      "people",
      "data",
      "failures",
      "storage",
      "network",
      "energy",
      "operations"
    ],
    "include_retries": true,
    "include_experiments": true
  },
  "finance": {
    "fx_rates": {},
    "tax_rate": 0.0,
    "contingency": 0.0,
    "ask_percentile": 80.0
  },
  "governance": {
    "budget": null,
    "tag_coverage": null,
    "budget_alerts": null,
    "idle_reclaim": null,
    "evaluation_set": null,
    "rollback_path": null
  },
  "ranges": {},
  "provenance": {}
}
','2026-12-02T07:59:06.571+00:00');
CREATE TABLE plans (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        revision INTEGER NOT NULL,
        chosen TEXT,
        created TEXT NOT NULL,
        updated TEXT NOT NULL,
        deleted TEXT
    ) STRICT;
INSERT INTO "plans" VALUES('a94a4518abad48c3a21cca560b0a803a','旧计划','pretraining',2,'["CKPT-INTERVAL"]','2026-12-02T07:59:06.567+00:00','2026-12-02T07:59:06.570+00:00',NULL);
CREATE TABLE recommendation_states (
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        recommendation_id TEXT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL,
        owner TEXT NOT NULL,
        due TEXT,
        updated TEXT NOT NULL,
        PRIMARY KEY (plan_id, recommendation_id)
    ) STRICT;
INSERT INTO "recommendation_states" VALUES('a94a4518abad48c3a21cca560b0a803a','CKPT-INTERVAL','accepted','','李',NULL,'2026-12-02T07:59:06.571+00:00');
CREATE TABLE reviews (
        plan_id TEXT NOT NULL,
        revision INTEGER NOT NULL,
        review TEXT NOT NULL,
        currency TEXT NOT NULL,
        total REAL,
        p10 REAL,
        p90 REAL,
        complete INTEGER NOT NULL,
        created TEXT NOT NULL,
        PRIMARY KEY (plan_id, revision),
        FOREIGN KEY (plan_id, revision) REFERENCES revisions(plan_id, revision) ON DELETE CASCADE
    ) STRICT;
CREATE TABLE revisions (
        plan_id TEXT NOT NULL REFERENCES plans(id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        plan TEXT NOT NULL,
        created TEXT NOT NULL,
        PRIMARY KEY (plan_id, revision)
    ) STRICT;
INSERT INTO "revisions" VALUES('a94a4518abad48c3a21cca560b0a803a',1,'{
  "schema_version": 1,
  "meta": {
    "name": "old plan",
    "organisation": "",
    "project": "",
    "team": "",
    "owner": "",
    "currency": "USD"
  },
  "workload": {
    "kind": "pretraining"
  },
  "architecture": {
    "model_name": "",
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": null,
    "head_dim": null,
    "intermediate_size": 2048,
    "vocab_size": 32000,
    "gated_mlp": true,
    "tie_word_embeddings": false,
    "num_experts": 0,
    "num_experts_per_tok": 0,
    "moe_intermediate_size": null,
    "shared_expert_intermediate_size": 0,
    "first_k_dense_replace": 0
  },
  "training": {
    "tokens": 1000000000.0,
    "sequence_length": 2048,
    "global_batch_tokens": 1000000.0,
    "precision": "bf16",
    "critical_batch_tokens": null,
    "evaluation_share": 0.02
  },
  "serving": null,
  "batch": null,
  "cluster": {
    "accelerator": "h100-sxm",
    "accelerator_count": 8,
    "accelerators_per_node": null,
    "price_mode": "on_demand",
    "price_per_gpu_hour": null,
    "provider": null,
    "region": null,
    "commitment_term_months": null,
    "busy_share": 0.95,
    "accelerator_spec": null,
    "nic_gbps_per_gpu": null,
    "scale_up_domain": null
  },
  "layout": {
    "tensor_parallel": "auto",
    "pipeline_parallel": "auto",
    "context_parallel": "auto",
    "expert_parallel": "auto",
    "virtual_pipeline": "auto",
    "micro_batch": "auto",
    "sharding": "auto",
    "recompute": "auto"
  },
  "reliability": {
    "failures_per_node_day": null,
    "checkpoint_interval_s": "auto",
    "checkpoint_mode": "sync",
    "checkpoint_write_s": null,
    "checkpoint_stall_s": null,
    "restart_s": null,
    "detection_s": null,
    "preemptions_per_node_hour": null,
    "spare_nodes": 0,
    "restore_tested": null
  },
  "experiments": {
    "runs": 0,
    "run_share": 0.01,
    "failed_share": 0.2,
    "rerun_share": 0.0
  },
  "data": {
    "acquisition_cost": 0.0,
    "preparation_cost": 0.0
  },
  "storage": {
    "dataset_gb": null,
    "checkpoints_kept": "all",
    "checkpoint_tier": "hot_object",
    "months_after_run": 6.0,
    "items": []
  },
  "network": {
    "egress_gb": 0.0,
    "cross_region_gb": 0.0
  },
  "people": {
    "roles": []
  },
  "operations": {
    "monthly_cost": 0.0,
    "support_share": 0.0,
    "energy_included": true,
    "energy_price_per_kwh": null
  },
  "schedule": {
    "start_date": null,
    "horizon_months": 12.0,
    "deadline_days": null,
    "cost_of_delay_per_day": null,
    "interruptible": null
  },
  "scope": {
    "categories": [
      "compute",
      "people",
      "data",
      "failures",
      "storage",
      "network",
      "energy",
      "operations"
    ],
    "include_retries": true,
    "include_experiments": true
  },
  "finance": {
    "fx_rates": {},
    "tax_rate": 0.0,
    "contingency": 0.0,
    "ask_percentile": 80.0
  },
  "governance": {
    "budget": null,
    "tag_coverage": null,
    "budget_alerts": null,
    "idle_reclaim": null,
    "evaluation_set": null,
    "rollback_path": null
  },
  "ranges": {},
  "provenance": {}
}
','2026-12-02T07:59:06.567+00:00');
INSERT INTO "revisions" VALUES('a94a4518abad48c3a21cca560b0a803a',2,'{
  "schema_version": 1,
  "meta": {
    "name": "旧计划",
    "organisation": "",
    "project": "",
    "team": "",
    "owner": "",
    "currency": "USD"
  },
  "workload": {
    "kind": "pretraining"
  },
  "architecture": {
    "model_name": "",
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": null,
    "head_dim": null,
    "intermediate_size": 2048,
    "vocab_size": 32000,
    "gated_mlp": true,
    "tie_word_embeddings": false,
    "num_experts": 0,
    "num_experts_per_tok": 0,
    "moe_intermediate_size": null,
    "shared_expert_intermediate_size": 0,
    "first_k_dense_replace": 0
  },
  "training": {
    "tokens": 1000000000.0,
    "sequence_length": 2048,
    "global_batch_tokens": 1000000.0,
    "precision": "bf16",
    "critical_batch_tokens": null,
    "evaluation_share": 0.02
  },
  "serving": null,
  "batch": null,
  "cluster": {
    "accelerator": "h100-sxm",
    "accelerator_count": 8,
    "accelerators_per_node": null,
    "price_mode": "on_demand",
    "price_per_gpu_hour": null,
    "provider": null,
    "region": null,
    "commitment_term_months": null,
    "busy_share": 0.95,
    "accelerator_spec": null,
    "nic_gbps_per_gpu": null,
    "scale_up_domain": null
  },
  "layout": {
    "tensor_parallel": "auto",
    "pipeline_parallel": "auto",
    "context_parallel": "auto",
    "expert_parallel": "auto",
    "virtual_pipeline": "auto",
    "micro_batch": "auto",
    "sharding": "auto",
    "recompute": "auto"
  },
  "reliability": {
    "failures_per_node_day": null,
    "checkpoint_interval_s": "auto",
    "checkpoint_mode": "sync",
    "checkpoint_write_s": null,
    "checkpoint_stall_s": null,
    "restart_s": null,
    "detection_s": null,
    "preemptions_per_node_hour": null,
    "spare_nodes": 0,
    "restore_tested": null
  },
  "experiments": {
    "runs": 0,
    "run_share": 0.01,
    "failed_share": 0.2,
    "rerun_share": 0.0
  },
  "data": {
    "acquisition_cost": 0.0,
    "preparation_cost": 0.0
  },
  "storage": {
    "dataset_gb": null,
    "checkpoints_kept": "all",
    "checkpoint_tier": "hot_object",
    "months_after_run": 6.0,
    "items": []
  },
  "network": {
    "egress_gb": 0.0,
    "cross_region_gb": 0.0
  },
  "people": {
    "roles": []
  },
  "operations": {
    "monthly_cost": 0.0,
    "support_share": 0.0,
    "energy_included": true,
    "energy_price_per_kwh": null
  },
  "schedule": {
    "start_date": null,
    "horizon_months": 12.0,
    "deadline_days": null,
    "cost_of_delay_per_day": null,
    "interruptible": null
  },
  "scope": {
    "categories": [
      "compute",
      "people",
      "data",
      "failures",
      "storage",
      "network",
      "energy",
      "operations"
    ],
    "include_retries": true,
    "include_experiments": true
  },
  "finance": {
    "fx_rates": {},
    "tax_rate": 0.0,
    "contingency": 0.0,
    "ask_percentile": 80.0
  },
  "governance": {
    "budget": null,
    "tag_coverage": null,
    "budget_alerts": null,
    "idle_reclaim": null,
    "evaluation_set": null,
    "rollback_path": null
  },
  "ranges": {},
  "provenance": {}
}
','2026-12-02T07:59:06.570+00:00');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('journal',1);
COMMIT;
