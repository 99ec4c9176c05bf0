#[test]
fn probe() {
    let path = std::path::PathBuf::from(std::env::var("PLAN").unwrap());
    match planrun::plan::prepare(&path, &[]) {
        Ok(p) => println!(
            "{} cells {} edges {} runs {:?} {}",
            p.cells.len(),
            p.graph.edge_count(),
            p.run_count(),
            p.notes,
            p.identity.hash
        ),
        Err(e) => println!("{e}"),
    }
}
