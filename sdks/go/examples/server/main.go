// An API whose routes are protected by access tokens of Gatehouse. ISSUER is PUBLIC_BASE_URL of the service.
package main

import (
	"encoding/json"
	"log"
	"net"
	"net/http"
	"os"

	"gatehouse/verify"
)

func main() {
	verifier, err := verify.New(verify.Options{Issuer: os.Getenv("ISSUER")})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/me", verifier.Protect()(http.HandlerFunc(me)))
	mux.Handle("/invoices", verifier.Protect(verify.Permission("invoices.read"))(http.HandlerFunc(invoices)))
	log.Fatal(http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("PORT")), mux))
}

func me(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, map[string]string{"user_id": verify.SessionOf(r).UserID})
}

func invoices(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, []string{})
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}
