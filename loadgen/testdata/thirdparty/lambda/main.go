// Command lambda is a Lambda function with its own runtime: it asks Lambda's runtime
// API for one event after the other, and says which answer was its first.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() {
	api := "http://" + os.Getenv("AWS_LAMBDA_RUNTIME_API") + "/2018-06-01/runtime/invocation/"
	for first := true; ; first = false {
		event, err := http.Get(api + "next")
		if err != nil {
			log.Fatal(err)
		}
		event.Body.Close()
		answer, err := json.Marshal(map[string]any{
			"statusCode": 200, "body": "hello\n",
			"headers": map[string]string{"X-Cold-Start": strconv.FormatBool(first), "X-Instance": fmt.Sprint(os.Getpid())},
		})
		if err != nil {
			log.Fatal(err)
		}
		done, err := http.Post(api+event.Header.Get("Lambda-Runtime-Aws-Request-Id")+"/response", "application/json", strings.NewReader(string(answer)))
		if err != nil {
			log.Fatal(err)
		}
		done.Body.Close()
	}
}
